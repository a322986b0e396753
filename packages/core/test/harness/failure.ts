/** Returns the error that rejects a promise; it fails the test if the promise is fulfilled. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new TypeError("It did not fail");
}
