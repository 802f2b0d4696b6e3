import { AwsError } from '../aws-error.ts';

export interface Denial {
  /** The ARN of the caller. */
  who: string;
  action: string;
  resource: string;
  because: string;
}

interface Form {
  code?: string;
  status: number;
  queryCode?: string;
  message?(denial: Denial): string;
}

const usual = ({ who, action, resource, because }: Denial) =>
  `User: ${who} is not authorized to perform: ${action} on resource: ${resource} ${because}`;

/** How the services differ in saying it, by the first word of the action. */
const forms: Record<string, Form> = {
  dynamodb: { status: 400 },
  kms: { status: 400 },
  events: { status: 400 },
  scheduler: { status: 403 },
  iam: { status: 403 },
  lambda: { status: 403 },
  sqs: {
    status: 403,
    queryCode: 'AccessDenied',
    message: ({ action, because, ...denial }) =>
      usual({ ...denial, action: action.toLowerCase(), because: because.replace(action, action.toLowerCase()) }),
  },
  s3: {
    code: 'AccessDenied',
    status: 403,
    message: ({ resource, ...denial }) => usual({ ...denial, resource: `"${resource}"` }),
  },
  ses: {
    status: 403,
    message: ({ who, action, resource }) =>
      `User \`${who}' is not authorized to perform \`${action}' on resource \`${resource}'`,
  },
};

/** What a service answers who may not. */
export function accessDenied(denial: Denial): AwsError {
  const {
    code = 'AccessDeniedException',
    message = usual,
    ...options
  } = forms[denial.action.split(':')[0] ?? ''] ?? {
    status: 403,
  };
  return new AwsError(code, message(denial), options);
}
