import { createServer, type IncomingMessage } from 'node:http';
import { ApiError, createClient, type Schema, verifyWebhook, WebhookVerificationError } from 'crm-api-client';

const { CRM_API_URL = 'http://127.0.0.1:3000', CRM_API_KEY, WEBHOOK_SECRET, PORT = '9000' } = process.env;
if (!CRM_API_KEY || !WEBHOOK_SECRET) throw new Error('set CRM_API_KEY and WEBHOOK_SECRET');

const maxBodyBytes = 1_000_000;

// A delivery must be answered within 5 seconds. The API repeats the ones that fail, so the client needs no retries.
const crm = createClient({ baseUrl: CRM_API_URL, apiKey: CRM_API_KEY, maxRetries: 0 });

/** Returns the answer to a text. Put your own rules here. */
function replyTo(text: string): string {
  if (text.startsWith('/start')) return 'Hello! Write your question, and we answer within a day.';
  return 'Thank you for your message. We answer within a day.';
}

/** Reads the bytes as they came: the signature is over them. Returns undefined above the limit. */
async function readRawBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Answers an inbound Telegram message, and ignores other events. */
async function handle(event: ReturnType<typeof verifyWebhook>): Promise<void> {
  // Without `data` of a message: another event, or one whose person was erased.
  if ('erased' in event || event.event !== 'message.created') return;
  const { id, data } = event as Schema<'MessageCreatedEvent'>;
  const { direction, channel, body, account_id: accountId, contact_id: contactId } = data;
  // Your own messages are events too. An answer to them would never end.
  if (direction !== 'inbound' || channel !== 'telegram' || accountId === null) return;
  const job = await crm.post('/v1/telegram/messages', {
    // The same delivery can come twice. The key makes one message of both.
    params: { header: { 'Idempotency-Key': id } },
    body: { accountId: Number(accountId), contactId: Number(contactId), text: replyTo(body) },
  });
  console.log(`event ${id}: job ${job.id} is ${job.status}`);
}

/** Returns the status for a delivery: 204 takes it, 503 has the API send it again. */
async function receive(request: IncomingMessage): Promise<number> {
  if (request.method !== 'POST') return 405;
  const rawBody = await readRawBody(request);
  if (rawBody === undefined) return 413;
  try {
    await handle(verifyWebhook(rawBody, request.headers, WEBHOOK_SECRET as string));
    return 204;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return 401;
    if (!(error instanceof ApiError)) throw error;
    console.error(`${error.status} ${error.reason ?? error.code}: ${error.message}, request ${error.requestId}`);
    // A refusal stays one, for example if the account was deleted. A retry helps only if the API is busy or failing.
    return error.retryAfterSeconds !== null || error.status >= 500 ? 503 : 204;
  }
}

const server = createServer(async (request, response) => {
  const status = await receive(request).catch((error: unknown) => {
    console.error(error);
    return 503;
  });
  response.writeHead(status).end();
});
server.listen(Number(PORT), () => {
  const address = server.address();
  console.log(`listening on port ${typeof address === 'object' ? address?.port : address}`);
});
