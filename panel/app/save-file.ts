/** Saves what an address answers as a file of the browser; another origin's opens in a tab of its own. */
export function saveUrl(name: string, url: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  if (!url.startsWith('blob:')) link.target = '_blank';
  link.rel = 'noopener';
  link.click();
}

/** Saves a text as a file of the browser. */
export function saveText(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  saveUrl(name, url);
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
