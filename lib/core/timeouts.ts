import { secondMs } from './clock.ts';

/** Default time-out of a function. */
export const defaultTimeoutSeconds = 10;
/**
 * Time-out of a route that may do much, as one that starts a saga: API Gateway waits for 30 seconds, a cold start
 * included.
 */
export const longTimeoutSeconds = 28;
/** Time-out of a route that asks a platform about an account. */
export const connectTimeoutSeconds = 20;
/** Time-out of a route that may ask a model. */
export const modelTimeoutSeconds = 28;
/** Time-out of a route that may wait for a customer's endpoint. */
export const testTimeoutSeconds = 15;

/** No route has more. */
export const longestCallSeconds = Math.max(
  defaultTimeoutSeconds,
  longTimeoutSeconds,
  connectTimeoutSeconds,
  modelTimeoutSeconds,
  testTimeoutSeconds,
);

/** Time-out of a worker that changes a few rows per message. */
export const workerTimeoutSeconds = 30;
/** Time-out of a worker that reads the table's stream: a hundred records at once. */
export const streamTimeoutSeconds = 60;
// Timeouts of workers, from which their leases and budgets follow.
export const fanOutTimeoutSeconds = 60;
export const sagaTimeoutSeconds = 60;
export const copyTimeoutSeconds = 840;
export const deliverTimeoutSeconds = 30;
export const senderTimeoutSeconds = 40;
export const mailTimeoutSeconds = 30;
/** Time-out of a worker that reads a mail, which may have 40 MB. */
export const incomingMailTimeoutSeconds = 60;
export const attachmentTimeoutSeconds = 120;
export const pullTimeoutSeconds = 120;
/** Time-out of a worker that writes all records of an object to a file: the longest that Lambda has. */
export const exportTimeoutSeconds = 900;
/** Time-out of a worker that takes in the rows of a file. */
export const importTimeoutSeconds = 780;
export const sweepTimeoutSeconds = 55;
/** Time-out of a worker that makes several calls to a platform about one bot. */
export const hookTimeoutSeconds = 40;
/** Polls of some tenants for half a minute, so that those of others have their turn. */
export const pollTimeoutSeconds = 75;
/** Time-out of a worker that fetches the messages of one person, after waiting for the sender. */
export const userPollTimeoutSeconds = 75;

// How long others have to answer.
/** An endpoint, all in all (base document, "Events"). */
export const endpointTimeoutMs = 5 * secondMs;
/** The feed of a revenue source. */
export const feedTimeoutMs = 20 * secondMs;
/** A platform, for one call. */
export const providerTimeoutMs = 8 * secondMs;
/** A platform, for a whole file. */
export const downloadTimeoutMs = 60 * secondMs;
/** Telegram, for a part of a file on a slow line; of another data centre also the making of a key. */
export const partTimeoutMs = 20 * secondMs;
/** SES, for taking a mail. */
export const sesTimeoutMs = 10 * secondMs;
/** Time-out of the connection to an address that a customer names. */
export const connectTimeoutMs = 5 * secondMs;
/** Each of its addresses but the last: from another continent, or where a first packet is lost, Node's quarter of a second is too few. */
export const addressTimeoutMs = 2 * secondMs;
/** The name servers, for one name. */
export const lookupTimeoutMs = 3 * secondMs;
/** The same, while a customer waits. */
export const shortLookupTimeoutMs = 1.5 * secondMs;
/** The event bus, while webhooks wait behind it. */
export const busTimeoutMs = 1 * secondMs;
/** The function itself, which it asks while it initialises. */
export const primeTimeoutMs = 1.5 * secondMs;
