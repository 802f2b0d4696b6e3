/** What nothing uses in a run of all tests, and is given all the same. */
export const unused: readonly { grant: RegExp; why: string }[] = [];
