export { default as events } from './developers/events.tsx';
export { default as jobs } from './developers/jobs.tsx';
export { default as keys } from './developers/keys.tsx';
export { default as mcp } from './developers/mcp.tsx';
export { default as reference } from './developers/reference.tsx';
export { default as requests } from './developers/requests.tsx';
export { default as webhooks } from './developers/webhooks.tsx';
