import type { StoredContact } from '#lib/entities/contact.ts';

/** A contact as the table holds it, of which a test names what it is about. */
export const contactRow = (of: Partial<StoredContact>): StoredContact => ({
  id: 1,
  platform: 'telegram',
  name: null,
  username: null,
  phone: null,
  email: null,
  company: null,
  notes: null,
  stage: 'new',
  leadScore: null,
  leadScoreIsAi: false,
  assignedToUserId: null,
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: null,
  lastMessageAt: null,
  hasUnreadMessages: false,
  tagIds: [],
  metadata: {},
  identities: {},
  ...of,
});
