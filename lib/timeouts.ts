/** Of a route that declares none. */
export const defaultTimeoutSeconds = 10;
/** Of a route that may do much, as one that starts a plan: API Gateway waits for 30 seconds. */
export const longTimeoutSeconds = 29;
/** Of the worker that makes the deliveries which the publisher leaves. */
export const restTimeoutSeconds = 60;
/** Of the worker that goes on with plans. */
export const planTimeoutSeconds = 60;
