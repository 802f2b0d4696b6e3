import { AwsError } from './aws-error.ts';
import type { Guarded } from './guard.ts';
import { awsJson, jsonBody, listen, targetAction, type WireServer } from './wire.ts';

type Settings = Guarded & {
  accountId: string;
  region: string;
  /** The values of SecureStrings by their names. */
  parameters: Readonly<Record<string, string>>;
};

/** Starts Systems Manager with the secrets of the operator's that a function may read by name. */
export function startSsm({ accountId, region, parameters, ...address }: Settings): Promise<WireServer> {
  return listen(address, awsJson('1.1', 'com.amazonaws.ssm'), (request) => {
    const action = targetAction(request, 'AmazonSSM');
    if (action !== 'GetParameter') throw new AwsError('UnknownOperationException', `The local SSM has no ${action}.`);
    const { Name, WithDecryption = false } = jsonBody(request);
    const name = String(Name);
    const ARN = `arn:aws:ssm:${region}:${accountId}:parameter/${name.replace(/^\//, '')}`;
    request.note('ssm:GetParameter', ARN);
    const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (value === undefined) throw new AwsError('ParameterNotFound', '');
    // Encrypted, SSM shows it as KMS gave it, which says nothing to anybody here.
    const Value = WithDecryption === true ? value : Buffer.from(name).toString('base64');
    return { Parameter: { ARN, DataType: 'text', Name: name, Type: 'SecureString', Value, Version: 1 } };
  });
}
