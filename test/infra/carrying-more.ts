/** What an endpoint carries besides the table's client, and may therefore weigh more. */
export const carryingMore: Record<string, string> = {
  'agents-test-run': 'the Bedrock client',
  'contacts-batch': 'every operation that a batch may hold',
  'email-create-reply': 'the HTML sanitiser, which reads HTML and the CSS of its style attributes',
  'mcp-post': 'every operation that has a tool, the HTML sanitiser and the Bedrock client',
  'webhooks-create': 'the rules of which addresses a url may lead to, and the kinds of events with their schemas',
  'webhooks-patch': 'the same rules and kinds',
  'webhooks-test': 'undici, whose parser of HTTP is WebAssembly: it sends the test delivery',
};
