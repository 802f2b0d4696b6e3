import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, BillingMode, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { exportsPrefix, uploadsPrefix } from '#lib/files/keys.ts';
import { acknowledge } from './role.ts';

/** What must outlive every deployment: the table, the key that customers' secrets are encrypted with, and the files of messages. */
export class DataStack extends Stack {
  readonly table: Table;
  readonly key: Key;
  readonly files: Bucket;

  constructor(scope: Construct, id: string) {
    super(scope, id, { description: 'CRM API: the table, the key and the files', terminationProtection: true });
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
    acknowledge(this.files, 'S1', 'Whoever reads a file has asked the API for its URL, which logs the call');
  }
}
