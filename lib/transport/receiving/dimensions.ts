/** Under these the worker that stores files measures. */
export const fileDimensions = { worker: 'store-attachments' };
