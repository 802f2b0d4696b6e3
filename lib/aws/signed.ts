import aws4 from 'aws4';
import { env } from '../env.ts';

type Request = Required<Pick<aws4.Request, 'service' | 'method' | 'path' | 'headers'>> &
  Pick<aws4.Request, 'body' | 'signQuery'>;

let credentials: aws4.Credentials | undefined;

/** Whose requests are signed from now on, where that is not in the environment as in a Lambda. */
export function signAs(signer: aws4.Credentials | undefined): void {
  credentials = signer;
}

/** A request with the signature of our credentials (Signature Version 4), in its headers or, with `signQuery`, in its path. */
export const signed = (request: Request) =>
  aws4.sign({ ...request, region: env('AWS_REGION') }, credentials) as aws4.Request & {
    path: string;
    headers: Record<string, string>;
  };

/** Where a service is asked: where the environment says, as to the SDK, or in the function's region. */
export function endpointOf(service: 'dynamodb' | 'events' | 'kms' | 's3' | 'scheduler' | 'sqs' | 'ssm'): URL {
  // The SDK calls EventBridge so, whatever its host is called.
  const name = service === 'events' ? 'EVENTBRIDGE' : service.toUpperCase();
  const named = process.env[`AWS_ENDPOINT_URL_${name}`];
  if (named) return new URL(named);
  const region = env('AWS_REGION');
  return new URL(`https://${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`);
}
