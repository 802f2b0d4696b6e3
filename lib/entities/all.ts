import type { Entity } from '#lib/table/entity.ts';
import { Accounts } from './account.ts';
import { Agents } from './agent.ts';
import { AuditEvents } from './audit-event.ts';
import { Blocks } from './block.ts';
import { MailNotices } from './bounce.ts';
import { BusBacklogs, BusRetries } from './bus-backlog.ts';
import { MergedCompanies } from './company.ts';
import { MergedContacts, Upserts } from './contact.ts';
import { Copies } from './copy.ts';
import { DataExports } from './data-export.ts';
import { Deliveries, DeliveryIds } from './delivery.ts';
import { BodyParts, EmailMessages, MessageIds } from './email-message.ts';
import { Erasures } from './erasure.ts';
import { Feed } from './feed-event.ts';
import { FieldOrders, Fields } from './field.ts';
import { Files } from './file.ts';
import { ImportRows, Imports, TurnsOfImports } from './import.ts';
import { AccountHolders, Inbounds, Pollers } from './inbound.ts';
import { Logins } from './login.ts';
import { Members } from './member.ts';
import { namingContacts } from './naming-contacts.ts';
import { Peers } from './peer.ts';
import { ColumnDoors, Pipelines } from './pipeline.ts';
import { IngestedRows, RevenueSources } from './revenue-source.ts';
import { SavedReplies, SavedReplyNames } from './saved-reply.ts';
import { Senders } from './sender.ts';
import { Sequences } from './sequence.ts';
import { SuppressedAddresses, Suppressions } from './suppression.ts';
import { TagCounts, TagNames, Tags } from './tag.ts';
import { Transfers } from './transfer.ts';
import { Views } from './view.ts';
import { Endpoints } from './webhook.ts';
import { Dispatches } from './webhook-dispatch.ts';
import { FanOutRetries, FanOuts } from './webhook-fan-out.ts';
import { Healths } from './webhook-health.ts';
import { Registries } from './webhook-registry.ts';
import { ReplayQueues } from './webhook-replays.ts';
import { Workspaces } from './workspace.ts';
import { WriteBarriers } from './write-barrier.ts';

/** Entities of a workspace except keys, and except sagas that are under way. Made of this folder by `npm run entities`. */
export const entities: readonly Entity[] = [
  ...namingContacts,
  AccountHolders,
  Accounts,
  Agents,
  AuditEvents,
  Blocks,
  BodyParts,
  BusBacklogs,
  BusRetries,
  ColumnDoors,
  Copies,
  DataExports,
  Deliveries,
  DeliveryIds,
  Dispatches,
  EmailMessages,
  Endpoints,
  Erasures,
  FanOutRetries,
  FanOuts,
  Feed,
  FieldOrders,
  Fields,
  Files,
  Healths,
  ImportRows,
  Imports,
  Inbounds,
  IngestedRows,
  Logins,
  MailNotices,
  Members,
  MergedCompanies,
  MergedContacts,
  MessageIds,
  Peers,
  Pipelines,
  Pollers,
  Registries,
  ReplayQueues,
  RevenueSources,
  SavedReplies,
  SavedReplyNames,
  Senders,
  Sequences,
  SuppressedAddresses,
  Suppressions,
  TagCounts,
  TagNames,
  Tags,
  Transfers,
  TurnsOfImports,
  Upserts,
  Views,
  Workspaces,
  WriteBarriers,
];
