/** Returns the error with which a promise rejects. The test fails if the promise is fulfilled. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new TypeError("The promise was fulfilled");
}
