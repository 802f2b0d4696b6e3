import { randomText } from '#lib/core/random.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import type { StoredAttachment } from '#lib/entities/message.ts';

/** Where callers put what no message has taken yet: the bucket removes it after a day. */
export const uploadsPrefix = 'uploads/';

/** Where exports are: the bucket removes them after a day. */
export const exportsPrefix = 'exports/';

const placeOf = ({ workspaceId, env }: Tenant) => `${workspaceId}/${env}`;

/** Where copies for searches are: the bucket removes those that are no longer used. */
export const copiesPrefix = 'copies/';

/** Returns a new key for a file that a caller will upload. */
export const uploadKey = (tenant: Tenant) => `${uploadsPrefix}${placeOf(tenant)}/${randomText(32)}`;

/** Returns the key of an attachment, the same for every attempt. */
export const attachmentKey = (tenant: Tenant, messageId: number, attachmentId: number) =>
  `messages/${placeOf(tenant)}/${messageId}/${attachmentId}`;

/** The key itself if what lies there is the tenant's; else null: rows of a workspace that was imported may name objects of another one. */
export const ownKey = (tenant: Tenant, key: string | null): string | null =>
  key?.split('/').slice(1, 3).join('/') === placeOf(tenant) ? key : null;

/** Wherever an attachment is said to lie, where that is the tenant's. */
export const keysOf = (tenant: Tenant, { key, uploadedAs }: Pick<StoredAttachment, 'key' | 'uploadedAs'>): string[] =>
  [key, uploadedAs ?? null].flatMap((one) => ownKey(tenant, one) ?? []);

/** Returns the folder of an export, which holds all its files. */
export const exportFolder = (tenant: Tenant, exportId: number) => `${exportsPrefix}${placeOf(tenant)}/${exportId}/`;

/** Returns the folder of the copies of a noun. */
export const copyFolder = (tenant: Tenant, noun: string) => `${copiesPrefix}${placeOf(tenant)}/${noun}/`;

/** Returns the key of a copy. */
export const copyKey = (tenant: Tenant, noun: string, version: string) =>
  `${copyFolder(tenant, noun)}${version}.parquet`;

/** Returns the key of a complete export. */
export const exportKey = (tenant: Tenant, exportId: number) => `${exportFolder(tenant, exportId)}document`;

/** Returns the folder of all exports of records. */
export const dataExportFolder = (tenant: Tenant) => `${exportsPrefix}${placeOf(tenant)}/data/`;

/** Returns a new key for the file of an export of records: each attempt writes its own. */
export const dataExportKey = (tenant: Tenant, exportId: number) =>
  `${dataExportFolder(tenant)}${exportId}/${randomText(16)}`;

/** Returns the key of the rows of an import that failed, which the bucket removes as it does exports. */
export const importErrorsKey = (tenant: Tenant, importId: number) =>
  `${exportsPrefix}${placeOf(tenant)}/import-${importId}`;
