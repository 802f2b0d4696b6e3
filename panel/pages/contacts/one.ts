import type { Schema } from '../../../client/index.ts';
import type { Loaded } from '../../app/load.ts';

/** The contact that a page shows and changes. */
export type OneContact = Loaded<Schema<'ContactWithTags'>>;
