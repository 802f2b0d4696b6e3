import { CfnOutput, Duration, Fn, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, BillingMode, type ITable, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { exportsPrefix, uploadsPrefix } from '#lib/files/keys.ts';
import { acknowledge } from './role.ts';

/** A table of this stack or another: CDK's own interface, which its class does not keep where an absent property is not undefined. */
export type AnyTable = Omit<ITable, 'tableStreamArn'> & { readonly tableStreamArn?: string | undefined };

/** The ARN of the files, for another stack, as a resource of a policy is written there from the beginning: cdk-nag names it so. */
export const arnOfFiles = (files: Bucket): string => Fn.getStackOutput(Stack.of(files).stackName, 'FilesArn');

/** What must outlive every deployment: the table, the key that customers' secrets are encrypted with, and the files of messages. */
export class DataStack extends Stack {
  readonly table: Table;
  readonly key: Key;
  readonly files: Bucket;

  constructor(scope: Construct, id: string, { tags }: { tags: Record<string, string> }) {
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
      // What no message has taken after a day; what one has is copied to another prefix.
      lifecycleRules: [uploadsPrefix, exportsPrefix].map((prefix) => ({ prefix, expiration: Duration.days(1) })),
    });
    // 1.2 imports them: without them it could not be upgraded. What imports nothing cannot lock this stack.
    const { table, key, files } = this;
    for (const value of [
      table.tableName,
      table.tableArn,
      table.tableStreamArn,
      key.keyId,
      key.keyArn,
      files.bucketName,
      files.bucketArn,
    ])
      this.exportValue(value);
    new CfnOutput(this, 'FilesArn', { value: files.bucketArn });
    acknowledge(this.files, 'S1', 'Whoever reads a file has asked the API for its URL, which logs the call');
  }
}
