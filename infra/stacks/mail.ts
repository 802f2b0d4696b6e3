import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Effect, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, type CfnBucket } from 'aws-cdk-lib/aws-s3';
import { CfnReceiptRule, ReceiptRuleSet } from 'aws-cdk-lib/aws-ses';
import type { Construct } from 'constructs';
import { acknowledge } from './role.ts';

/** Where incoming mail lands; with a domain, the SES rules that put it there (the operator activates the rule set). */
export function createMailBucket(scope: Construct, domain: string | undefined): Bucket {
  const bucket = new Bucket(scope, 'Mail', {
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    removalPolicy: RemovalPolicy.RETAIN,
    lifecycleRules: [{ expiration: Duration.days(90) }],
  });
  // The construct's own switch brings a custom resource and its function.
  (bucket.node.defaultChild as CfnBucket).notificationConfiguration = {
    eventBridgeConfiguration: { eventBridgeEnabled: true },
  };
  acknowledge(bucket, 'S1', 'One function reads it and SES writes it; each mail leaves a log line of that function');
  if (domain) receive(scope, bucket, domain);
  return bucket;
}

function receive(scope: Construct, bucket: Bucket, domain: string) {
  const { account } = Stack.of(scope);
  bucket.addToResourcePolicy(
    new PolicyStatement({
      effect: Effect.ALLOW,
      principals: [new ServicePrincipal('ses.amazonaws.com')],
      actions: ['s3:PutObject'],
      resources: [bucket.arnForObjects('*')],
      conditions: { StringEquals: { 'aws:SourceAccount': account } },
    }),
  );
  const rules = new ReceiptRuleSet(scope, 'MailRules');
  const rule = new CfnReceiptRule(rules, 'Store', {
    ruleSetName: rules.receiptRuleSetName,
    rule: {
      enabled: true,
      recipients: [domain],
      scanEnabled: true,
      tlsPolicy: 'Require',
      actions: [{ s3Action: { bucketName: bucket.bucketName } }],
    },
  });
  if (bucket.policy) rule.node.addDependency(bucket.policy);
}
