/** What a promise is rejected with; it fails the test when the promise is fulfilled. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new TypeError("It did not fail");
}
