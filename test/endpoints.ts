import { NodeHttpHandler } from '@smithy/node-http-handler';

/** Where requests go instead, by host. */
const elsewhere = new Map<string, URL>();
const { handle } = NodeHttpHandler.prototype;
/** That of tests: functions in the same process have others. */
const ownEnv = process.env;

NodeHttpHandler.prototype.handle = function (request, options) {
  const to = process.env === ownEnv && elsewhere.get(`${request.hostname}:${request.port}`);
  if (to) Object.assign(request, { hostname: to.hostname, port: Number(to.port) });
  return handle.call(this, request, options);
};

/**
 * Has the clients of this process ask a service at another address (`redirect('DYNAMODB', url)`): a client keeps the one that it finds
 * when it is first used. Returns what takes it back.
 */
export function redirect(service: string, url: string): () => void {
  const { host } = new URL(String(process.env[`AWS_ENDPOINT_URL_${service}`] ?? process.env['AWS_ENDPOINT_URL']));
  const before = elsewhere.get(host);
  elsewhere.set(host, new URL(url));
  return () => {
    if (before) elsewhere.set(host, before);
    else elsewhere.delete(host);
  };
}
