/** Drawn in a square of 24 by one line each. */
const shapes = {
  home: 'M4 11l8-7 8 7v9h-6v-6h-4v6H4z',
  inbox: 'M4 13l3-9h10l3 9v7H4zM4 13h5l1 3h4l1-3h5',
  contacts: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 20c1-4 4-5 8-5s7 1 8 5',
  company: 'M5 20V4h9v16M14 9h5v11M8 8h3M8 12h3M8 16h3M3 20h18',
  deals: 'M4 5h5v14H4zM11 5h5v9h-5zM18 5h2v5h-2z',
  tasks: 'M4 6l2 2 3-3M4 13l2 2 3-3M12 7h8M12 14h8M4 20h16',
  finance: 'M4 20V10M10 20V4M16 20v-7M21 20H3',
  accounts: 'M4 12l16-8-5 16-3-6z',
  settings: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5L20 20',
  code: 'M9 7l-5 5 5 5M15 7l5 5-5 5',
  key: 'M8 20a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM11 13l9-9M16 8l3 3',
  webhook: 'M12 8a3 3 0 1 0-2-5M9 6l-4 8M6 20a3 3 0 1 0 3-4h7M13 7l4 7a3 3 0 1 1-2 5',
  live: 'M3 12h4l3-7 4 14 3-7h4',
  plug: 'M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4',
  list: 'M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6L6 18',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  check: 'M5 12l5 5 9-10',
  plus: 'M12 5v14M5 12h14',
  help: 'M9 9a3 3 0 1 1 4 3c-1 .5-1 1-1 2M12 17.5v.5',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  attach: 'M8 12l6-6a3 3 0 0 1 4 4l-8 8a5 5 0 0 1-7-7l7-7',
  back: 'M15 5l-7 7 7 7',
  next: 'M9 5l7 7-7 7',
  pencil: 'M4 20l1-5L16 4l4 4L9 19zM13 7l4 4',
  clock: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v4l3 2',
} as const;

export type IconName = keyof typeof shapes;

/** Decorates a text; says nothing itself. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={shapes[name]} />
  </svg>
);
