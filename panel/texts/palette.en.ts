/** A value in a text, already written in the member's language. */
type Value = string | number;

export const palette = {
  search: 'Search',
  searchFor: 'Search for people, companies, deals, pages, and actions',
  results: 'Results',
  recent: 'Recent',
  goTo: 'Go to',
  goToPage: (title: Value) => `Go to ${title}`,
  actions: 'Actions',
  records: 'Records',
  nothingFits: 'Nothing fits. Try fewer or other words.',
  searching: 'Searching …',
  newTab: '{keys} opens a new tab',
  switchTo: (name: Value) => `Switch to ${name}`,
  newEndpoint: 'New endpoint',
  newKey: 'New API key',
  of: { contact: 'Contact', company: 'Company', deal: 'Deal', task: 'Task', thread: 'Mail', invoice: 'Invoice' },
};
