/** Returns the details of a refusal for this reason: the word for programs, and the page that explains it. */
export const because = (reason: string) => ({ reason, docs: `/docs/#/errors/${reason}` });
