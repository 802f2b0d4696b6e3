import { ApiError } from '../../client/index.ts';
import { t } from '../app/texts.ts';
import { CopyButton } from './copy-button.tsx';
import { filled } from './filled.tsx';

const messageOf = (error: unknown): string => {
  if (error instanceof ApiError) return error.message;
  if (error instanceof TypeError) return t.parts.theServerCannotBeReached;
  return error instanceof Error ? error.message : t.parts.somethingWentWrong;
};

/** What went wrong in the API's own words, with the request id that its operator needs. */
export function Explained({ error }: { error: unknown }) {
  const requestId = error instanceof ApiError ? error.requestId : null;
  const fields = error instanceof ApiError ? error.fields : [];
  return (
    <>
      <p class="what">{messageOf(error)}</p>
      {fields.length > 1 && (
        <ul>
          {fields.map(({ field, message }) => (
            <li key={field}>
              <code>{field}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {requestId && (
        <p class="request-id">
          {filled(t.parts.request, { code: <code>{requestId}</code> })}{' '}
          <CopyButton text={requestId} label={t.parts.copyTheRequestId} />
        </p>
      )}
    </>
  );
}

/** In place of what could not be loaded. */
export const Failure = ({ error, again }: { error: unknown; again?: () => void }) => (
  <div class="failure" role="alert">
    <Explained error={error} />
    {again && (
      <button type="button" onClick={again}>
        {t.common.tryAgain}
      </button>
    )}
  </div>
);
