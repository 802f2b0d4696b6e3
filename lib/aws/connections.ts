/**
 * For the SDK's clients: each request on a connection of its own. Lambda purges those that a frozen process keeps, and a request that
 * meets such a one fails: a mail may then seem to have left, and the SDK repeats no stream.
 */
export const ownConnections = { httpAgent: { keepAlive: false }, httpsAgent: { keepAlive: false } };
