import { CloudFormationClient, DescribeStacksCommand, type Output } from '@aws-sdk/client-cloudformation';

/** The environment variables that a deployed stack's outputs stand for: `QueueUrlTelegram` gives `QUEUE_URL_TELEGRAM`. */
export async function environmentOfStack(stack: string): Promise<Record<string, string>> {
  const client = new CloudFormationClient({});
  const AWS_REGION = await client.config.region().catch(() => {
    throw new Error('set AWS_REGION to the region of the stack');
  });
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stack }));
  return { AWS_REGION, STACK_NAME: stack, ...environmentOfOutputs(Stacks?.[0]?.Outputs ?? []) };
}

export const environmentOfOutputs = (outputs: readonly Output[]): Record<string, string> =>
  Object.fromEntries(outputs.map(({ OutputKey = '', OutputValue = '' }) => [upperSnake(OutputKey), OutputValue]));

const upperSnake = (name: string) => name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase();
