import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, BillingMode, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';

/** What must outlive every deployment: the table and the key that customers' secrets are encrypted with. */
export class DataStack extends Stack {
  readonly table: Table;
  readonly key: Key;

  constructor(scope: Construct, id: string) {
    super(scope, id, { description: 'CRM API: the table and the key', terminationProtection: true });
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
  }
}
