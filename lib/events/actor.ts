import * as v from 'valibot';
import { actorTypes } from '#lib/core/tenant.ts';

/** Who has caused something; apart from the schemas of events, which only few functions carry. */
export const EventActor = v.pipe(
  v.object({ type: v.picklist(actorTypes), id: v.nullable(v.string()) }),
  v.title('EventActor'),
);
