/** A closed port: where what does not run here is looked for, and never the real AWS. */
export const nowhere = 'http://127.0.0.1:1';
