/**
 * What the official conformance suite finds that is no fault, check by check, each with its reason. Whatever else fails, or a line here
 * that no longer does, makes `conformance.ts` fail.
 */
export const expected: Record<string, Record<string, string>> = {
  '2026-07-28': {
    'caching/sep-2549-prompts-list-caching-hints':
      'It asks for a prompt; this server has none and declares none, so -32601 is the answer.',
    'caching/sep-2549-resources-list-caching-hints':
      'It asks for a resource; this server has none and declares none, so -32601 is the answer.',
    'caching/sep-2549-resources-templates-list-caching-hints':
      'It asks for a resource; this server has none and declares none, so -32601 is the answer.',
    'completion-complete/completion-complete':
      'Completion is for arguments of prompts and resources, which this server does not have.',
    'http-custom-header-server-validation/sep-2243-server-decode-base64':
      'It needs a tool with x-mcp-header parameters; ours have none, since nothing routes by them.',
    'http-custom-header-server-validation/sep-2243-server-no-xmcp-tool':
      'It needs a tool with x-mcp-header parameters; ours have none, since nothing routes by them.',
    'http-custom-header-server-validation/sep-2243-server-reject-invalid-param-chars':
      'It needs a tool with x-mcp-header parameters; ours have none, since nothing routes by them.',
    'http-custom-header-server-validation/sep-2243-server-reject-param-mismatch':
      'It needs a tool with x-mcp-header parameters; ours have none, since nothing routes by them.',
    'http-custom-header-server-validation/sep-2243-server-validate-param-match':
      'It needs a tool with x-mcp-header parameters; ours have none, since nothing routes by them.',
    'input-required-result-basic-elicitation/sep-2322-elicitation-incomplete':
      'Its fixture tool asks the client for more input; ours never do.',
    'input-required-result-basic-list-roots/sep-2322-list-roots-incomplete':
      'Its fixture tool asks the client for more input; ours never do.',
    'input-required-result-basic-sampling/sep-2322-sampling-incomplete':
      'Its fixture tool asks the client for more input; ours never do.',
    'input-required-result-capability-check/sep-2322-respect-client-capabilities':
      'Its fixture tool asks the client for more input; ours never do.',
    'input-required-result-ignore-extra-params/sep-2322-ignore-unexpected-params':
      'Its fixture tool asks the client for more input; ours never do.',
    'input-required-result-missing-input-response/sep-2322-missing-response-rerequests':
      'Its fixture tool asks the client for more input; ours never do.',
    'input-required-result-multi-round/sep-2322-multi-round-r1':
      'Its fixture tool asks the client for more input; ours never do.',
    'input-required-result-multiple-input-requests/sep-2322-multiple-inputs-incomplete':
      'Its fixture tool asks the client for more input; ours never do.',
    'input-required-result-non-tool-request/sep-2322-non-tool-incomplete':
      'It asks for a prompt; this server has none and declares none, so -32601 is the answer.',
    'input-required-result-request-state/sep-2322-request-state-incomplete':
      'Its fixture tool asks the client for more input; ours never do.',
    'input-required-result-result-type/sep-2322-result-type-included':
      'Its fixture tool asks the client for more input; ours never do.',
    'input-required-result-tampered-state/sep-2322-reject-tampered-state':
      'Its fixture tool asks the client for more input; ours never do.',
    'json-schema-2020-12/json-schema-2020-12-tool-found':
      'Its fixture tool shows rare JSON Schema keywords; ours use none of them.',
    'prompts-get-embedded-resource/prompts-get-embedded-resource':
      'It asks for a prompt; this server has none and declares none, so -32601 is the answer.',
    'prompts-get-simple/prompts-get-simple':
      'It asks for a prompt; this server has none and declares none, so -32601 is the answer.',
    'prompts-get-with-args/prompts-get-with-args':
      'It asks for a prompt; this server has none and declares none, so -32601 is the answer.',
    'prompts-get-with-image/prompts-get-with-image':
      'It asks for a prompt; this server has none and declares none, so -32601 is the answer.',
    'prompts-list/prompts-list':
      'It asks for a prompt; this server has none and declares none, so -32601 is the answer.',
    'resources-list/resources-list':
      'It asks for a resource; this server has none and declares none, so -32601 is the answer.',
    'resources-read-binary/resources-read-binary':
      'It asks for a resource; this server has none and declares none, so -32601 is the answer.',
    'resources-read-text/resources-read-text':
      'It asks for a resource; this server has none and declares none, so -32601 is the answer.',
    'resources-templates-read/resources-templates-read':
      'It asks for a resource; this server has none and declares none, so -32601 is the answer.',
    'sep-2164-resource-not-found/sep-2164-data-uri':
      'It asks for a resource; this server has none and declares none, so -32601 is the answer.',
    'sep-2164-resource-not-found/sep-2164-error-code':
      'It asks for a resource; this server has none and declares none, so -32601 is the answer.',
    'server-stateless/sep-2575-http-server-no-independent-requests-on-stream':
      'Its fixture tool streams; answers are JSON only.',
    'server-stateless/sep-2575-missing-capability-http-400':
      'Its fixture tool needs a client capability; ours need none.',
    'server-stateless/sep-2575-server-no-log-without-loglevel': 'Its fixture tool logs; ours never do.',
    'server-stateless/sep-2575-server-rejects-undeclared-capability':
      'Its fixture tool needs a client capability; ours need none.',
    'tasks-capability-negotiation/sep-2663-server-rejects-undeclared-client':
      'The tasks extension, which this server does not declare.',
    'tasks-capability-negotiation/sep-2663-tasks-methods-non-declaring':
      'The tasks extension, which this server does not declare.',
    'tasks-capability-negotiation/tasks-extension-advertised':
      'The tasks extension, which this server does not declare.',
    'tasks-capability-negotiation/tasks-per-request-meta-opt-in':
      'The tasks extension, which this server does not declare.',
    'tasks-dispatch-and-envelope/sep-2663-durable-create-strong-consistency':
      'The tasks extension, which this server does not declare.',
    'tasks-dispatch-and-envelope/sep-2663-legacy-task-param-ignored':
      'The tasks extension, which this server does not declare.',
    'tasks-dispatch-and-envelope/sep-2663-tasks-get-invalid-task-id-32602':
      'The tasks extension, which this server does not declare.',
    'tasks-dispatch-and-envelope/tasks-immediate-result-shortcut':
      'The tasks extension, which this server does not declare.',
    'tasks-dispatch-and-envelope/tasks-result-type-complete-on-non-task-responses':
      'The tasks extension, which this server does not declare.',
    'tasks-dispatch-and-envelope/tasks-server-directed-creation-no-hint':
      'The tasks extension, which this server does not declare.',
    'tasks-lifecycle/sep-2663-cancel-ack-empty-result': 'The tasks extension, which this server does not declare.',
    'tasks-lifecycle/sep-2663-result-type-task-on-create': 'The tasks extension, which this server does not declare.',
    'tasks-lifecycle/sep-2663-tasks-get-status-completed': 'The tasks extension, which this server does not declare.',
    'tasks-lifecycle/sep-2663-tasks-get-status-failed': 'The tasks extension, which this server does not declare.',
    'tasks-lifecycle/sep-2663-tasks-get-status-working': 'The tasks extension, which this server does not declare.',
    'tasks-lifecycle/sep-2663-tool-error-uses-completed-status':
      'The tasks extension, which this server does not declare.',
    'tasks-lifecycle/tasks-cancel-terminal-idempotent-ack': 'The tasks extension, which this server does not declare.',
    'tasks-lifecycle/tasks-sync-tool-call': 'The tasks extension, which this server does not declare.',
    'tasks-mrtr-composition/sep-2663-mrtr-synchronous-before-task-creation':
      'The tasks extension, which this server does not declare.',
    'tasks-mrtr-input/sep-2663-tasks-get-status-input-required':
      'The tasks extension, which this server does not declare.',
    'tasks-mrtr-input/tasks-mrtr-partial-fulfillment': 'The tasks extension, which this server does not declare.',
    'tasks-mrtr-input/tasks-mrtr-tasks-update-resumes': 'The tasks extension, which this server does not declare.',
    'tasks-request-headers/sep-2663-routing-headers-accepted-on-tasks-get':
      'The tasks extension, which this server does not declare.',
    'tasks-request-headers/sep-2663-server-rejects-mismatched-mcp-name-on-tasks-get':
      'The tasks extension, which this server does not declare.',
    'tasks-request-headers/tasks-headers-tolerate-mcp-method-on-tools-call':
      'The tasks extension, which this server does not declare.',
    'tasks-request-state-removal/tasks-request-state-removal-setup':
      'The tasks extension, which this server does not declare.',
    'tasks-required-task-error/sep-2663-server-returns-missing-capability-when-required':
      'The tasks extension, which this server does not declare.',
    'tasks-wire-fields/tasks-no-early-ttl-expiry': 'The tasks extension, which this server does not declare.',
    'tasks-wire-fields/tasks-no-related-task-meta-on-inlined-result':
      'The tasks extension, which this server does not declare.',
    'tasks-wire-fields/tasks-wire-field-renames': 'The tasks extension, which this server does not declare.',
    'tools-call-audio/tools-call-audio':
      'Its fixture tool answers that kind of content; ours answer text and structured content.',
    'tools-call-embedded-resource/tools-call-embedded-resource':
      'Its fixture tool answers that kind of content; ours answer text and structured content.',
    'tools-call-image/tools-call-image':
      'Its fixture tool answers that kind of content; ours answer text and structured content.',
    'tools-call-mixed-content/tools-call-mixed-content':
      'Its fixture tool answers that kind of content; ours answer text and structured content.',
    'tools-call-with-progress/tools-call-with-progress': 'Progress would need a stream; answers are JSON only.',
  },
  '2025-11-25': {
    'completion-complete/completion-complete':
      'Completion is for arguments of prompts and resources, which this server does not have.',
    'elicitation-sep1034-defaults/elicitation-sep1034-general': 'Its fixture tool asks the client back; ours never do.',
    'elicitation-sep1330-enums/elicitation-sep1330-general': 'Its fixture tool asks the client back; ours never do.',
    'logging-set-level/logging-set-level': 'Log messages would need a stream; the server declares no logging.',
    'prompts-get-embedded-resource/prompts-get-embedded-resource':
      'It asks for a prompt; this server has none and declares none, so -32601 is the answer.',
    'prompts-get-simple/prompts-get-simple':
      'It asks for a prompt; this server has none and declares none, so -32601 is the answer.',
    'prompts-get-with-args/prompts-get-with-args':
      'It asks for a prompt; this server has none and declares none, so -32601 is the answer.',
    'prompts-get-with-image/prompts-get-with-image':
      'It asks for a prompt; this server has none and declares none, so -32601 is the answer.',
    'prompts-list/prompts-list':
      'It asks for a prompt; this server has none and declares none, so -32601 is the answer.',
    'resources-list/resources-list':
      'It asks for a resource; this server has none and declares none, so -32601 is the answer.',
    'resources-read-binary/resources-read-binary':
      'It asks for a resource; this server has none and declares none, so -32601 is the answer.',
    'resources-read-text/resources-read-text':
      'It asks for a resource; this server has none and declares none, so -32601 is the answer.',
    'resources-subscribe/resources-subscribe':
      'It asks for a resource; this server has none and declares none, so -32601 is the answer.',
    'resources-templates-read/resources-templates-read':
      'It asks for a resource; this server has none and declares none, so -32601 is the answer.',
    'resources-unsubscribe/resources-unsubscribe':
      'It asks for a resource; this server has none and declares none, so -32601 is the answer.',
    'server-sse-multiple-streams/server-sse-multiple-streams-session':
      'A warning that there is no session: the server is stateless in both eras.',
    'tools-call-audio/tools-call-audio':
      'Its fixture tool answers that kind of content; ours answer text and structured content.',
    'tools-call-elicitation/tools-call-elicitation': 'Its fixture tool asks the client back; ours never do.',
    'tools-call-embedded-resource/tools-call-embedded-resource':
      'Its fixture tool answers that kind of content; ours answer text and structured content.',
    'tools-call-image/tools-call-image':
      'Its fixture tool answers that kind of content; ours answer text and structured content.',
    'tools-call-mixed-content/tools-call-mixed-content':
      'Its fixture tool answers that kind of content; ours answer text and structured content.',
    'tools-call-sampling/tools-call-sampling': 'Its fixture tool asks the client back; ours never do.',
    'tools-call-with-logging/tools-call-with-logging':
      'Log messages would need a stream; the server declares no logging.',
    'tools-call-with-progress/tools-call-with-progress': 'Progress would need a stream; answers are JSON only.',
  },
};
