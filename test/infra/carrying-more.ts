/** What an endpoint carries besides the table's client, and may therefore weigh more. */
export const carryingMore: Record<string, string> = {
  'agents-test-run': 'the Bedrock client',
  'contacts-batch': 'every write of a contact',
  'email-create-reply': 'the HTML sanitiser',
  'mcp-post': 'every operation that has a tool',
  'webhooks-create': 'the KMS client and the list of special addresses',
  'webhooks-patch': 'the list of special addresses, and what webhooks-create has',
  'webhooks-test': 'undici, which sends the test delivery',
};
