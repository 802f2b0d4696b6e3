import {
  CfnResource,
  type IResolvable,
  Names,
  Reference,
  Stack,
  StringConcat,
  Tokenization,
  Validations,
} from 'aws-cdk-lib';
import { Effect, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

export interface Permission {
  actions: string[];
  resources: string[];
  conditions?: Record<string, Record<string, string | string[]>>;
  /** Instead of the leave, whatever else gives it. */
  isDenied?: boolean;
  /** Why a resource of it ends in a wildcard. */
  wildcard?: string;
}

/** A role for one AWS service with one inline policy. */
export function createRole(
  stack: Stack,
  id: string,
  service: string | ServicePrincipal,
  permissions: readonly Permission[],
): Role {
  const statements = permissions.map(
    ({ actions, resources, conditions, isDenied = false }) =>
      new PolicyStatement({
        actions,
        resources,
        effect: isDenied ? Effect.DENY : Effect.ALLOW,
        ...(conditions && { conditions }),
      }),
  );
  const role = new Role(stack, id, {
    assumedBy: typeof service === 'string' ? new ServicePrincipal(service) : service,
    inlinePolicies: { Allow: new PolicyDocument({ statements }) },
  });
  for (const { resources, wildcard } of permissions) {
    if (wildcard === undefined) continue;
    for (const resource of resources) acknowledge(role, `IAM5[Resource::${readable(stack, resource)}]`, wildcard);
  }
  return role;
}

/** Accepts one finding of cdk-nag's AwsSolutions on one construct. */
export function acknowledge(construct: Construct, finding: string, reason: string): void {
  Validations.of(construct).acknowledge({ id: `AwsSolutions::AwsSolutions-${finding}`, reason });
}

type Resolved =
  | string
  | { Ref: string }
  | { 'Fn::GetAtt': string[] }
  | { 'Fn::GetStackOutput': object }
  | { 'Fn::Join': [string, Resolved[]] };

/** As cdk-nag writes it: `arn:<AWS::Partition>:…`. */
function readable(stack: Stack, resource: string): string {
  const text = (value: Resolved): string => {
    if (typeof value === 'string') return value;
    if ('Ref' in value) return `<${value.Ref}>`;
    if ('Fn::GetStackOutput' in value) return JSON.stringify(value);
    if ('Fn::GetAtt' in value) return `<${value['Fn::GetAtt'].join('.')}>`;
    return value['Fn::Join'][1].map(text).join(value['Fn::Join'][0]);
  };
  const own = Tokenization.reverseString(resource).mapTokens({
    mapToken: (token) => parameterOf(stack, token) ?? token,
  });
  return text(stack.resolve(own.join(new StringConcat())));
}

/** Returns the parameter through which the CDK gives a nested stack an attribute of its parent's resource. */
function parameterOf(stack: Stack, token: IResolvable): string | undefined {
  if (!Reference.isReference(token) || !CfnResource.isCfnResource(token.target)) return undefined;
  if (Stack.of(token.target) === stack) return undefined;
  return `<referenceto${Names.nodeUniqueId(token.target.node)}${token.displayName}>`;
}
