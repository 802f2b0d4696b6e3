import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, BillingMode, type ITable, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods } from 'aws-cdk-lib/aws-s3';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import { copiesPrefix, exportsPrefix, uploadsPrefix } from '#lib/files/keys.ts';
import { notedDays } from '#lib/table/changed.ts';
import { acknowledge } from './role.ts';

/** A table of this stack or another: CDK's own interface, which its class does not keep where an absent property is not undefined. */
export type AnyTable = Omit<ITable, 'tableStreamArn'> & { readonly tableStreamArn?: string | undefined };

/** References to the data for another stack. */
export interface DataReferences {
  table: AnyTable;
  key: Pick<Key, 'keyId' | 'keyArn'>;
  files: Pick<Bucket, 'bucketName' | 'bucketArn'>;
}

/**
 * The data as another stack finds them: CloudFormation asks for an output of a stack wherever one stands in a template, and hundreds of times are
 * too often (`Throttling`). So each is read once, into a parameter that the others read. A restored table is known by its names.
 */
export function referencesTo(
  { table, key, files }: DataStack,
  scope: Construct,
  restored?: { tableName: string; tableStreamArn: string },
): DataReferences {
  const once = (name: string, stringValue: string) =>
    new StringParameter(scope, `Data${name}`, { stringValue, description: `Of the stack of the data: ${name}` })
      .stringValue;
  const { tableName, tableStreamArn } = restored ?? {
    tableName: once('TableName', table.tableName),
    tableStreamArn: once('TableStreamArn', table.tableStreamArn as string),
  };
  return {
    table: Table.fromTableAttributes(scope, 'DataTable', { tableName, tableStreamArn }),
    key: { keyId: once('KeyId', key.keyId), keyArn: once('KeyArn', key.keyArn) },
    files: { bucketName: once('FilesName', files.bucketName), bucketArn: once('FilesArn', files.bucketArn) },
  };
}

export interface DataSettings {
  /** The address of the deployment, if it has one of its own. */
  publicUrl: string | undefined;
  tags: Record<string, string>;
}

/** Stack of the data that must outlive every deployment: the table, the key of customers' secrets, and the files of messages. */
export class DataStack extends Stack {
  readonly table: Table;
  readonly key: Key;
  readonly files: Bucket;

  constructor(scope: Construct, id: string, { publicUrl, tags }: DataSettings) {
    const description = 'CRM API: the table, the key and the files';
    super(scope, id, { description, terminationProtection: true, tags });
    this.table = new Table(this, 'Table', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
      timeToLiveAttribute: 'expiresAtSeconds',
      stream: StreamViewType.NEW_AND_OLD_IMAGES,
    });
    this.key = new Key(this, 'Key', {
      description: 'Encrypts webhook secrets and account sessions',
      enableKeyRotation: true,
      pendingWindow: Duration.days(30),
      removalPolicy: RemovalPolicy.RETAIN,
    });
    this.files = new Bucket(this, 'Files', {
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      removalPolicy: RemovalPolicy.RETAIN,
      // The panel uploads from the browser, and reads the errors of an import. Anybody may ask; only a presigned URL is answered.
      cors: [
        {
          allowedOrigins: [
            publicUrl === undefined ? `https://*.execute-api.${this.region}.amazonaws.com` : new URL(publicUrl).origin,
          ],
          allowedMethods: [HttpMethods.PUT, HttpMethods.GET],
          allowedHeaders: ['content-type'],
          maxAge: Duration.hours(1).toSeconds(),
        },
      ],
      // Uploads that no message has used after a day. Used ones are copied to another prefix.
      lifecycleRules: [
        ...[uploadsPrefix, exportsPrefix].map((prefix) => ({ prefix, expiration: Duration.days(1) })),
        { prefix: copiesPrefix, expiration: Duration.days(notedDays + 1) },
      ],
    });
    acknowledge(this.files, 'S1', 'Whoever reads a file has asked the API for its URL, which logs the call');
  }
}
