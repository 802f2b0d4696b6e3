/** Where the local cloud says it is. */
export interface Home {
  accountId: string;
  region: string;
}

export const home: Home = { accountId: '000000000000', region: 'us-east-1' };

/** Values that only the running servers know. */
export interface Servers extends Home {
  sqsUrl: string;
  apiUrl: string;
  keyId: string;
}

export interface Resource {
  Type: string;
  Properties?: Record<string, unknown>;
  Metadata?: Record<string, unknown>;
}

interface Identity {
  /** Value of Ref. */
  ref: string;
  attributes?: Record<string, string>;
}

type Identify = (name: string, servers: Servers) => Identity;

const arn = (service: string, { region, accountId }: Home, resource: string) =>
  `arn:aws:${service}:${region}:${accountId}:${resource}`;

/** The property that names a resource, where a template may choose the name. */
const nameProperties: Record<string, string> = {
  'AWS::DynamoDB::Table': 'TableName',
  'AWS::SQS::Queue': 'QueueName',
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::Scheduler::ScheduleGroup': 'Name',
  'AWS::SNS::Topic': 'TopicName',
  'AWS::S3::Bucket': 'BucketName',
  'AWS::IAM::Role': 'RoleName',
  'AWS::SES::ConfigurationSet': 'Name',
};

const identities: Record<string, Identify> = {
  'AWS::DynamoDB::Table': (name, home) => {
    const tableArn = arn('dynamodb', home, `table/${name}`);
    return { ref: name, attributes: { Arn: tableArn, StreamArn: `${tableArn}/stream/local` } };
  },
  'AWS::SQS::Queue': (name, servers) => {
    const url = `${servers.sqsUrl}/${servers.accountId}/${name}`;
    return { ref: url, attributes: { Arn: arn('sqs', servers, name), QueueName: name, QueueUrl: url } };
  },
  'AWS::Lambda::Function': (name, home) => ({
    ref: name,
    attributes: { Arn: arn('lambda', home, `function:${name}`) },
  }),
  'AWS::Logs::LogGroup': (name, home) => ({ ref: name, attributes: { Arn: arn('logs', home, `log-group:${name}:*`) } }),
  'AWS::KMS::Key': (_name, servers) => ({
    ref: servers.keyId,
    attributes: { Arn: arn('kms', servers, `key/${servers.keyId}`), KeyId: servers.keyId },
  }),
  'AWS::Scheduler::ScheduleGroup': (name, home) => ({
    ref: name,
    attributes: { Arn: arn('scheduler', home, `schedule-group/${name}`) },
  }),
  'AWS::SNS::Topic': (name, home) => {
    const topicArn = arn('sns', home, name);
    return { ref: topicArn, attributes: { TopicArn: topicArn, TopicName: name } };
  },
  'AWS::ApiGatewayV2::Api': (name, { apiUrl }) => ({ ref: name, attributes: { ApiId: name, ApiEndpoint: apiUrl } }),
  'AWS::S3::Bucket': (name) => ({ ref: name.toLowerCase(), attributes: { Arn: `arn:aws:s3:::${name.toLowerCase()}` } }),
  'AWS::IAM::Role': (name, { accountId }) => ({
    ref: name,
    attributes: { Arn: `arn:aws:iam::${accountId}:role/${name}` },
  }),
};

/** The name a resource has here. */
export function physicalName(stack: string, logicalId: string, { Type, Properties }: Resource): string {
  const property = nameProperties[Type];
  const given = property && Properties?.[property];
  return typeof given === 'string' ? given : `${stack}-${logicalId}`;
}

/** Returns the values of Ref and GetAtt. Types that are not run here get an invented ARN. */
export function identityOf(name: string, { Type }: Resource, servers: Servers): Identity {
  const identify = identities[Type];
  if (identify) return identify(name, servers);
  const [, service = '', kind = ''] = Type.toLowerCase().split('::');
  return { ref: name, attributes: { Arn: arn(service, servers, `${kind}/${name}`) } };
}
