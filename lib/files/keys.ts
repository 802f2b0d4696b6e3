import { randomText } from '#lib/random.ts';
import type { Tenant } from '#lib/tenant.ts';

/** Where callers put what no message has taken yet: the bucket removes it after a day. */
export const uploadsPrefix = 'uploads/';

const placeOf = ({ workspaceId, env }: Tenant) => `${workspaceId}/${env}`;

/** Of a file that a caller is about to upload. */
export const uploadKey = (tenant: Tenant) => `${uploadsPrefix}${placeOf(tenant)}/${randomText(32)}`;

/** Of an attachment, whatever attempt stores it. */
export const attachmentKey = (tenant: Tenant, messageId: number, attachmentId: number) =>
  `messages/${placeOf(tenant)}/${messageId}/${attachmentId}`;
