import { PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';

export const statement = (actions: string[], resources: string[]) => new PolicyStatement({ actions, resources });

/** The one inline policy of a role; equal statements count once. */
export const policy = (...statements: PolicyStatement[]) => ({ Allow: new PolicyDocument({ statements }) });
