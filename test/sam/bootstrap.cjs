#!/usr/bin/node
// The runtime of the image: https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html.
const { AWS_LAMBDA_RUNTIME_API, _HANDLER, LAMBDA_TASK_ROOT = '/var/task' } = process.env;
const invocations = `http://${AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/invocation`;
const [file, name] = _HANDLER.split('.');

async function serve() {
  const { [name]: handler } = await import(`${LAMBDA_TASK_ROOT}/${file}.mjs`);
  for (;;) {
    const next = await fetch(`${invocations}/next`);
    const awsRequestId = next.headers.get('lambda-runtime-aws-request-id');
    const endsAtMs = Number(next.headers.get('lambda-runtime-deadline-ms'));
    const getRemainingTimeInMillis = () => endsAtMs - Date.now();
    const answer = (kind, body) =>
      fetch(`${invocations}/${awsRequestId}/${kind}`, { method: 'POST', body: JSON.stringify(body ?? null) });
    await next
      .json()
      .then((event) => handler(event, { awsRequestId, getRemainingTimeInMillis }))
      .then((result) => answer('response', result))
      .catch((error) => answer('error', { errorType: error.name, errorMessage: error.message }));
  }
}

void serve();
