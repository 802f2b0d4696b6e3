import type { Noun } from './noun.ts';

const settings = {
  url: 'Address that events are sent to, at most 2,048 characters. `https`; with a test key `http` as well. Private networks are refused.',
  description: 'Purpose of the endpoint, at most 200 characters. Null when nobody has written it.',
  eventKinds:
    'The kinds of events the endpoint gets. Default `["*"]`: all of them, also those that come with later revisions.',
  filter:
    'Conditions that an event must meet, all of them. Null means none. Events that are filtered out stay in the feed.',
};

const ownHeaders =
  'Headers to add to each delivery by name, at most 10: `{"Authorization": "Bearer …"}`. Values have at most 1,024 characters and are never shown. Null removes one, or all. Names that HTTP or deliveries use, such as `Host`, are refused.';

const conditions = {
  changedFields:
    'At least one of these fields changed, as events name them: `lead_score`, `fields.<slug>`. At most 50; a name that no event has is refused. Events without changes pass.',
  channels: 'The event concerns one of these channels. Events without a channel pass.',
  contactTagIds:
    'The contact has one of these tags when the event is published. At most 20. Events without a contact pass.',
};

export const webhooks: Noun = {
  about: 'Endpoints to which events are sent, signed as Standard Webhooks defines it, and their deliveries.',
  operations: {
    webhooksList:
      'Lists the webhook endpoints of the environment, newest first, with their health. Use it to see which are degraded or disabled. Secrets are not shown.',
    webhooksCreate:
      'Registers an endpoint for events and shows its signing secret once. Use a test key to register one for sandbox events. There are at most 20 endpoints, each address once. Past events are not sent: read those at `GET /v1/events`.',
    webhooksGet:
      'Returns one webhook endpoint with its health. Use it to see when it last took an event. Its deliveries have a list of their own.',
    webhooksPatch:
      'Changes an endpoint. `isActive: true` or another `url` clears its failures, so use it to switch a disabled endpoint on again. Conditions of `filter` that are left out stay; null removes one. Deliveries that exist already are sent as they are.',
    webhooksDelete:
      'Deletes an endpoint with its deliveries that still wait. Use it when a receiver is gone for good; to pause it, set `isActive` to false. Events stay in the feed.',
    webhooksEventKinds:
      'Lists every kind of event with what it means and an example. Use it to build a form for `eventKinds`. It is the same for every workspace.',
    webhooksListDeliveries:
      'Lists the deliveries of an endpoint, newest first. Use `status=failed` to find what your receiver has missed. Deliveries are kept for 30 days. Bodies and attempts are not included; read a single delivery for those.',
    webhooksGetDelivery:
      'Returns one delivery with its request and every attempt. Use it to find out why a receiver refused an event. It does not send anything.',
    webhooksReplay:
      'Sends the event of a finished delivery again, as a new delivery with the same body. Use it after you have fixed a receiver. If the endpoint is disabled, the new delivery is `skipped`. A delivery that is still being tried answers 409.',
    webhooksReplayFailed:
      'Replays the failed and skipped deliveries since a time, oldest first, at most 1,000 in one call. Use it after an outage, and call it again until `queued` is 0. Deliveries that were replayed already are left out.',
    webhooksRotate:
      'Creates a new signing secret and shows it once. During the grace both secrets sign, so that you can change your receivers one by one. It changes for every endpoint in `endpointIds`: all that share the secret of the workspace, or the one that has its own.',
    webhooksResume:
      'Ends the pause of an endpoint whose deliveries have failed, and forgets its failures. Everything that waits for it is sent at once, retries included. Use it when your receiver works again. A successful test ends the pause as well. It does not switch a disabled endpoint on: set `isActive` for that.',
    webhooksTest:
      'Sends one test event now and answers how it went. Use it while you set up a receiver; it works for a disabled endpoint too. There are no retries, the health of the endpoint stays, and nothing is written to the feed.',
  },
  parameters: {
    '*': {
      id: 'Id of the endpoint, as in `GET /v1/webhooks`.',
      deliveryId: 'The number of the delivery, or its UUID from the header `X-SVC-Delivery`.',
    },
    webhooksList: { isActive: '`true` for active endpoints only, `false` for the others; both by default.' },
    webhooksListDeliveries: {
      status: 'Only deliveries with this status, for example `failed`.',
      eventKind: 'Only deliveries of this kind of event.',
      since: 'Only deliveries created at or after this time.',
      until: 'Only deliveries created at or before this time.',
    },
  },
  schemas: {
    Endpoint: {
      ...settings,
      headers: 'Names of the headers that it adds to its deliveries. Their values are never shown.',
      ownSecret: 'Whether it has a signing secret of its own instead of the one of the workspace.',
      isActive: 'Whether events are sent. While it is false they are kept as `skipped` for 30 days.',
      id: 'Id of the endpoint, unique within its environment.',
      status: 'Health of the endpoint: whether deliveries arrive.',
      consecutiveFailures: 'Failed attempts since the last success. From 5 on the endpoint is degraded.',
      lastDeliveryAt: 'When an event was last sent. Null if none ever was.',
      lastSuccessAt: 'When the endpoint last answered 2xx. Null if it never did.',
      pausedUntil: 'Until when nothing is sent, because ten attempts in a row have failed. Null while events are sent.',
      secretHint: 'The last 4 characters of the signing secret, to tell it from another.',
    },
    EndpointWithSecret: {
      secret:
        'Signing secret of the workspace or the endpoint, `whsec_…`. Shown once: null when the answer is repeated under its `Idempotency-Key`.',
    },
    CreateEndpoint: {
      ...settings,
      headers: ownHeaders,
      ownSecret:
        'True gives the endpoint a signing secret of its own. Default false: the secret of the workspace. It cannot be changed later.',
    },
    PatchEndpoint: { headers: ownHeaders },
    EndpointFilter: conditions,
    SetEndpointFilter: conditions,
    RotateSecret: { graceMinutes: 'How many minutes the old secret still signs, 0 to 1,440. Default 1,440: one day.' },
    RotatedSecret: {
      secret:
        'The new signing secret, `whsec_…`. Shown once: null when the answer is repeated under its `Idempotency-Key`.',
      secretHint: 'The last 4 characters of the new secret.',
      previousValidUntil: 'Until when the old secret signs as well. Null when there is no grace.',
      endpointIds: 'Ids of all endpoints whose deliveries the new secret signs.',
    },
    TestEndpoint: { eventKind: 'The kind of event whose example is sent. Default `webhook.test`.' },
    TestedDelivery: { delivery: 'The delivery with the result of its only attempt.' },
    ReplayFailed: {
      since: 'Replay deliveries created at or after this time, at most 30 days back.',
      eventKind: 'Replay only deliveries of this kind of event. Default: all kinds.',
    },
    ReplayedFailed: { queued: 'How many deliveries were queued again. 1,000 means that there may be more.' },
    Delivery: {
      id: 'Id of the delivery as a number.',
      deliveryId: 'Id of the delivery as a UUID, as the header `X-SVC-Delivery` has it.',
      endpointId: 'Id of the endpoint it goes to.',
      eventKind: 'The kind of event that is delivered.',
      eventId: 'Id of the event: the `id` in its body. A replay has the same.',
      status: 'How far the delivery is.',
      attemptCount: 'How many attempts were made. There are at most 10.',
      nextAttemptAt: 'When it is tried next. Null when no attempt follows.',
      responseStatus: 'HTTP status of the last answer. Null when none came.',
      responseBody: 'The first 1,024 characters of the last answer. Null when none came.',
      error: 'Why the last attempt failed, or why the delivery was skipped. Null after a success.',
      durationMs: 'How long the last attempt took, in milliseconds. Null before the first.',
      replayOfId: 'Id of the delivery that this one repeats. Null for an original.',
      completedAt: 'When it succeeded, failed, or was skipped. Null while it is tried.',
    },
    DeliveryDetail: {
      requestHeaders:
        'Headers of the last attempt without those that the endpoint adds. Null before the first, and for a skipped delivery.',
      requestBody: 'The body as it is sent, byte for byte. Null when it is no longer kept.',
      attempts: 'Every attempt that was made, oldest first.',
    },
    DeliveryAttempt: {
      number: 'Number of the attempt, from 1.',
      startedAt: 'When the attempt began, in UTC.',
      durationMs: 'How long the attempt took, in milliseconds.',
      responseStatus: 'HTTP status of the answer. Null when none came.',
      error: 'Why the attempt failed, in words. Null after a success.',
      responseHeaders: 'Headers of the answer, with names in lower case and without secrets, at most 4 KiB.',
      errorClass: [
        'Why the attempt failed, as one word. Null after a success, and when it failed on our side.',
        {
          dns: 'the host has no address',
          refused: 'nobody accepted the connection',
          tls: 'no secure connection could be made',
          timeout: 'there was no whole answer within 5 seconds',
          reset: 'the connection ended without a whole, valid answer',
          too_large: 'the answer exceeds 1 MiB',
          status: 'the answer is not 2xx',
          blocked_address: 'the host leads to an address where webhooks may not go',
        },
      ],
    },
    EventKindList: { items: 'Every kind of event there is, on one page.' },
    EventKindDescription: {
      kind: 'Name of the kind, for `eventKinds`.',
      description: 'When such an event happens.',
      example: 'An event of this kind, as an endpoint would get it.',
    },
  },
  like: {
    EndpointWithSecret: 'Endpoint',
    PatchEndpoint: 'Endpoint',
    DeliveryDetail: 'Delivery',
  },
  enums: {
    EndpointStatus: [
      'The health of an endpoint.',
      {
        healthy: 'deliveries arrive',
        degraded: 'the last five attempts or more have failed',
        disabled: 'nothing is sent: it failed for 5 days, answered 410, or was switched off',
      },
    ],
    DeliveryStatus: [
      'The status of a delivery.',
      {
        pending: 'the first attempt is due',
        retrying: 'an attempt has failed; another one follows',
        succeeded: 'the endpoint has answered 2xx',
        failed: 'it was given up; it can be replayed',
        skipped: 'it was not sent, as `error` explains; it can be replayed',
      },
    ],
    EventSubscription: 'A kind of event, or `*` for all of them.',
  },
};
