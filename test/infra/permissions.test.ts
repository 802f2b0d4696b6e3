import { describe, expect, test } from 'vitest';
import { read, shown } from '#infra/local/iam/asked.ts';
import { Policies } from '#infra/local/iam/policies.ts';
import type { ResolvedResource } from '#infra/local/template.ts';
import { answersOf } from '#infra/permissions/answers.ts';

const table = 'arn:aws:dynamodb:us-east-1:000000000000:table/Rows';
const key = 'arn:aws:kms:us-east-1:000000000000:key/…';
const role = 'arn:aws:iam::000000000000:role/Reads';

describe('a call that was recorded', () => {
  test('is one line, the same for every workspace, object and schedule', () => {
    const get = (keys: string[]) =>
      shown({ action: 'dynamodb:GetItem', resource: table, values: { 'dynamodb:leadingkeys': keys } });
    expect(get(['7:live#contact', '7:live#deal'])).toBe(get(['12:test#tag']));
    expect(get(['KEY#abc'])).toBe(`dynamodb:GetItem ${table} [KEY#]`);
    // Taking a turn is not changing a row of the workspace.
    expect(get(['7:live#slots'])).not.toBe(get(['7:live#contact']));
    const object = (name: string) => shown({ action: 's3:GetObject', resource: `arn:aws:s3:::files/uploads/${name}` });
    expect(object('1/a')).toBe(object('2/b'));
  });

  test.each([
    ['dynamodb:PutItem', table, { 'dynamodb:leadingkeys': ['OUTBOX#', '{workspace}'] }],
    ['kms:Decrypt', key, { 'kms:encryptioncontextkeys': ['account', 'tenant'] }],
    ['iam:PassRole', role, { 'iam:passedtoservice': ['scheduler.amazonaws.com'] }],
    ['xray:PutTraceSegments', '*', {}],
  ] as const)('%s is read as it was noted', (action, resource, values) => {
    const line = shown({ action, resource, values });
    expect(shown(read(line))).toBe(line);
    expect(read(line)).toMatchObject({ action, resource });
  });
});

test('each function is told what it may do, what it did, and what of that the policies deny', () => {
  const policies = new Policies((type) => (type === 'AWS::IAM::Role' ? [reading] : []));
  const done = (action: string, keys: string[]) =>
    shown({ action, resource: table, values: { 'dynamodb:leadingkeys': keys } });
  const [ofContacts, ofKeys] = [done('dynamodb:GetItem', ['3:live#contact']), done('dynamodb:GetItem', ['KEY#abc'])];
  const written = done('dynamodb:PutItem', ['3:live#contact']);
  const usage = {
    roles: {},
    grants: {},
    used: {},
    did: { Get: { [ofKeys]: 1, [ofContacts]: 2 } },
    denied: { Get: { [written]: 1 } },
  };
  const functions = [
    { name: 'Get', role },
    { name: 'Idle', role },
  ];
  expect(answersOf(functions, policies, usage)).toEqual([
    {
      name: 'Get',
      role: 'Reads',
      may: [`dynamodb:GetItem ${table} [{workspace}*]`],
      did: [
        [ofKeys, 1],
        [ofContacts, 2],
      ],
      denied: [ofKeys, written],
    },
    { name: 'Idle', role: 'Reads', may: [`dynamodb:GetItem ${table} [{workspace}*]`], did: [], denied: [] },
  ]);
});

const reading: ResolvedResource = {
  id: 'Reads',
  name: 'Reads',
  ref: 'Reads',
  arn: role,
  metadata: {},
  properties: {
    AssumeRolePolicyDocument: { Statement: [] },
    Policies: [
      {
        PolicyDocument: {
          Statement: {
            Effect: 'Allow',
            Action: 'dynamodb:GetItem',
            Resource: table,
            Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['1*', '2*', '3*'] } },
          },
        },
      },
    ],
  },
};
