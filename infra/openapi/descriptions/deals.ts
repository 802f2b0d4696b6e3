import type { Noun } from './noun.ts';

const terms = {
  fields: 'Custom values by slug, as `GET /v1/fields` defines them; null clears one, and slugs left out keep theirs.',
  title: 'Title of the sale, in one line of 1 to 200 characters.',
  value: 'Amount at stake, 0 to 1,000,000,000,000, with no more decimals than its currency has. Default 0.',
  contactId: 'Id of the contact who would buy. Null when the deal has no contact.',
  currency: 'Currency of the value, as its three letters of ISO 4217. Default: the currency of the workspace.',
  probability: 'Chance of winning in percent, 0 to 100. A change of stage sets the default of the new stage.',
  expectedCloseAt: 'When you expect the decision. Null when you do not know.',
  notes: 'Free text about the deal, at most 10,000 characters.',
};

export const deals: Noun = {
  about:
    'Sales that are under way, with their value, stage, and probability. A deal is won in the panel, because that books income.',
  operations: {
    dealsList:
      'Lists deals, newest first. Use the filters to read one column of a pipeline, the deals of a contact, or the changes since your last sync. All filters must match. Tasks are not included; read a single deal for those.',
    dealsSearch:
      'Finds deals by any combination of conditions on any field, custom ones included, in any order. It sees every write that was answered before. Use it where the filters of the list are too few; it changes nothing.',
    dealsCreate:
      'Creates a deal in an active stage, `lead` by default. Use it when a sale begins. A deal can be won in the panel only, and it cannot begin as lost. Emits `deal.created`.',
    dealsGet:
      'Returns one deal with its newest 100 tasks. Send `If-None-Match` to save the transfer when nothing has changed. Metadata has an operation of its own.',
    dealsPatch:
      'Changes the fields that the body names; fields left out keep their values. Use `POST /v1/deals/{id}/stage` to move the deal. If the deal is won, its value and currency are booked and cannot change. Emits `deal.updated`.',
    dealsStage:
      'Moves a deal to the first column of a stage in its board, else in the default board, and sets the probability of that column. `lost` closes the deal; an active stage opens it again. It cannot be won here. If a won deal is moved, the income it booked stays. Emits `deal.stage_changed` and `deal.column_changed`.',
    dealsColumn:
      'Moves a deal to a column, of its board or of another one, and sets the probability of that column. Use it to move a card. A won column is for the panel only. Emits `deal.column_changed`, and `deal.stage_changed` where the stage is another.',
    dealsAssignee:
      'Assigns a deal to a member, its owner, or to nobody with `userId` null. The member must be active. Emits `deal.updated` with `changed` `["assigned_to_user_id"]`. The contact and the tasks keep their own assignees.',
    dealsArchive:
      'Archives a deal: lists, boards, totals, and analytics leave it out. Use it for what should not be there, and `lost` for what did not work out. Its tasks stay. The same again changes nothing. Emits `deal.archived`.',
    dealsRestore:
      'Restores an archived deal in its column. If that takes no deals any more, it goes to the first column of its stage. A taken unique value answers 409 `field_value_taken`. The same again changes nothing. Emits `deal.restored`.',
    dealsBatch:
      'Creates, changes, and moves up to 100 deals in one call. Each item succeeds or fails separately and has its own status in the results. With `atomic`, of at most 10 items, one failure undoes all of them.',
    dealsGetFields:
      'Returns the custom values of a deal: every field that is not archived, null where none is set. Use it when you need nothing else, or ask for `include=fields` of the deal. Definitions are in `GET /v1/fields`.',
    dealsPatchFields:
      'Sets the custom values that the body names; null clears one, and the others stay. A unique value that another deal has answers 409 `field_value_taken`. Emits `deal.updated`.',
    dealsGetMetadata:
      'Returns the metadata of a deal: your own pairs of key and text. Deals do not include them. Use it to look up which record of your system a deal belongs to.',
    dealsPatchMetadata:
      'Changes some pairs of the metadata of a deal: sets those in the body, and removes those that are null. Pairs left out stay. Use it when several programs keep pairs. Emits `deal.updated` with `changed` `["metadata"]`.',
    dealsPutMetadata:
      'Replaces all metadata of a deal. Pairs that the body leaves out are removed, so read them first if you want to add one. Emits `deal.updated` with `changed` `["metadata"]`.',
  },
  parameters: {
    '*': {
      id: 'Id of the deal, as in `GET /v1/deals`.',
      include:
        'Members to add to each deal of the answer, separated by commas: `fields`, `company`, `owner`, `pipeline`, and `archive`. Default none. Another name is 400 `invalid_enum`.',
    },
    dealsList: {
      stage: 'Only deals in this stage, for example `proposal`.',
      pipelineId: 'Only deals of the board with this id, as in `GET /v1/pipelines`.',
      columnId: 'Only deals in the column with this id, as the board shows it.',
      contactId: 'Only deals with the contact of this id.',
      companyId: 'Only deals with the company of this id.',
      assignedToUserId: 'Only deals of this member. `none` finds the deals that nobody owns.',
      q: 'Only deals whose title contains all words of this text, in any case and with or without accents. At most 200 characters.',
      minValue: 'Only deals worth at least this much, in whatever currency. Combine it with `currency`.',
      maxValue: 'Only deals worth at most this much, in whatever currency. Combine it with `currency`.',
      currency: 'Only deals in this currency, as its three letters of ISO 4217: `EUR`.',
      expectedCloseBefore:
        'Only deals expected to close before this time, exclusive. Deals without an expected time are left out.',
    },
  },
  schemas: {
    Deal: {
      ...terms,
      pipeline: 'The board and the column of the deal. Only with `include=pipeline`.',
      owner: 'The member who owns the deal. Only with `include=owner`.',
      company: 'The company of the deal, or null. Only with `include=company`.',
      fields: 'The custom values by slug, null where none is set. Only with `include=fields`.',
      id: 'Id of the deal, unique within its environment and never used again.',
      contactName: 'Name of the contact, kept up to date. Null when there is no contact, or it has no name.',
      closedAt: 'When the deal was won or lost. Null while it is open.',
      openTaskCount: 'How many tasks of the deal are not done yet.',
      stage: 'How far the sale has come. Answers write it with a capital: `Proposal`.',
    },
    DealCompany: { id: 'Id of the company that would buy.', name: 'Name of the company as it is now.' },
    DealOwner: { assignedToUserId: 'Id of the member who owns the deal. Null when nobody does.' },
    DealPipeline: {
      id: 'Id of the board that the deal is in.',
      name: 'Name of the board that shows the deal.',
      columnId: 'Id of the column that the deal is in, unique among all boards.',
      columnKey: 'Name of the column for programs, unique in the board.',
      columnName: 'Heading of the column that the deal is in.',
      lostReason: 'Why the deal was lost, as the move to lost said. Null unless it is lost and a reason was given.',
      columnSince: 'When the deal entered the column.',
    },
    DealWithTasks: {
      tasks:
        'The newest 100 tasks, descending by id. `GET /v1/tasks?dealId=` lists all; `openTaskCount` counts those not done.',
    },
    DealTask: {
      id: 'Id of the task, for `GET /v1/tasks/{id}`.',
      title: 'Title of the task in one line.',
      status: 'How far the task is: `Open`, `InProgress`, or `Done`.',
      priority: 'How urgent the task is: `Low`, `Medium`, or `High`.',
      dueAt: 'When the task should be done. Null when it has no due time.',
      isOverdue: 'Whether the due time has passed and the task is not done.',
    },
    CreateDeal: {
      companyId:
        'Id of the company that would buy. A new deal takes the primary company of its contact when you leave it out.',
      ...terms,
      stage:
        'Stage in which the deal begins: an active one. Default that of `columnId`, else `lead`, or the first of a board without it.',
      pipelineId: 'Id of the board in which the deal begins. Default the default board.',
      columnId: 'Id of the active column in which the deal begins. Default the first one of the stage.',
      assignedToUserId: 'Id of the active member who owns the deal, from `GET /v1/members`. Default nobody.',
      metadata: 'Your own pairs of key and text for the new deal, at most 50. Default none.',
    },
    PatchDeal: { ...terms, companyId: 'Id of the company that would buy. Null when there is none.' },
    UpdateDealItem: {
      ...terms,
      companyId: 'Id of the company that would buy. Null when there is none.',
      id: 'Id of the deal that this item changes.',
    },
    SetDealStage: {
      stage: 'The stage to move to. `won` is refused with the reason `won_is_panel_only`.',
      lostReason: 'Why the deal was lost, at most 500 characters. Only with `lost`. Default null.',
    },
    SetDealColumn: {
      columnId: 'Id of the column to move to, of any board. A won one is refused with the reason `won_is_panel_only`.',
      lostReason: 'Why the deal was lost, at most 500 characters. Only with a lost column. Default null.',
    },
    SetDealAssignee: { userId: 'Id of an active member, from `GET /v1/members`. Null assigns the deal to nobody.' },
    SetDealStageItem: { id: 'Id of the deal that this item moves.' },
    DealBatchResult: { deal: 'The deal after the change. Null when the item failed.' },
  },
  like: {
    DealWithTasks: 'Deal',
    CreateDealItem: 'CreateDeal',
    SetDealStageItem: 'SetDealStage',
    DealBatch: 'ContactBatch',
    DealBatchResult: 'ContactBatchResult',
    DealBatchResults: 'ContactBatchResults',
  },
  enums: {
    DealStage: 'The stage of a deal as answers write it. Filters, bodies, and events use lower case.',
    DealStageKey: [
      'The stage of a deal, each with a default probability. Bodies accept it in any case.',
      {
        lead: '10 percent; the default of a new deal',
        qualified: '30 percent',
        proposal: '50 percent',
        negotiation: '70 percent',
        won: '100 percent; set in the panel only',
        lost: '0 percent; closes the deal',
      },
    ],
    ActiveDealStage: 'A stage in which a deal can begin: neither won nor lost.',
  },
};
