/** The revision of the contract that this code answers to: `X-Api-Revision`, OpenAPI's `info.version`, MCP's server version and the package's. */
export const apiRevision = '1.4.0';
