import { CloudFormationClient, DescribeStacksCommand, type Output } from '@aws-sdk/client-cloudformation';
import { signAs } from '#lib/aws/signed.ts';
import { minuteMs } from '#lib/clock.ts';

/** The environment variables that a deployed stack's outputs stand for: `QueueUrlTelegram` gives `QUEUE_URL_TELEGRAM`. */
export async function environmentOfStack(stack: string): Promise<Record<string, string>> {
  const client = new CloudFormationClient({});
  const AWS_REGION = await client.config.region().catch(() => {
    throw new Error('set AWS_REGION to the region of the stack');
  });
  await signAsFound(client.config.credentials);
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stack }));
  return { AWS_REGION, STACK_NAME: stack, ...environmentOfOutputs(Stacks?.[0]?.Outputs ?? []) };
}

/** With the credentials that the SDK finds (profiles, SSO, roles), and finds again before they end. */
async function signAsFound(find: CloudFormationClient['config']['credentials']): Promise<void> {
  const { expiration, ...found } = await find();
  signAs(found);
  if (!expiration) return;
  const leftMs = expiration.getTime() - Date.now() - 5 * minuteMs;
  setTimeout(() => void signAsFound(find).catch(() => {}), Math.max(leftMs, minuteMs)).unref();
}

export const environmentOfOutputs = (outputs: readonly Output[]): Record<string, string> =>
  Object.fromEntries(outputs.map(({ OutputKey = '', OutputValue = '' }) => [upperSnake(OutputKey), OutputValue]));

const upperSnake = (name: string) => name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase();
