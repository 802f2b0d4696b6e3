/** What an endpoint carries besides the table's client, and may therefore weigh more. */
export const overBudget: Record<string, string> = {
  'agents-test-run': 'the Bedrock client',
  'email-create-message': 'the same as of a reply',
  'email-create-reply': 'the HTML sanitiser, which reads HTML and the CSS of its style attributes',
  'mcp-post': 'every operation that has a tool, the HTML sanitiser and the Bedrock client',
  'telegram-connect': 'undici: it asks Telegram whose token it is',
  'telegram-create-account': 'undici: it asks Telegram whose token it is',
  'telegram-create-login': 'mtcute: it has Telegram send a code',
  'telegram-disconnect': 'undici and mtcute: it has Telegram forget the webhook, or ends the session',
  'telegram-enter-code': 'mtcute: it logs somebody in to Telegram',
  'telegram-enter-password': 'mtcute: it logs somebody in to Telegram',
  'twitter-create-account': 'undici: it asks X whose token it is',
  'twitter-disconnect': 'undici: it has X revoke the tokens',
  'webhooks-test': 'undici, whose parser of HTTP is WebAssembly: it sends the test delivery',
};
