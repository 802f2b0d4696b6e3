import { ApiError } from '../../client/index.ts';
import { CopyButton } from './copy-button.tsx';

const messageOf = (error: unknown): string => {
  if (error instanceof ApiError) return error.message;
  if (error instanceof TypeError) return 'The server cannot be reached. Are you online?';
  return error instanceof Error ? error.message : 'Something went wrong.';
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
          Request <code>{requestId}</code> <CopyButton text={requestId} label="Copy the request id" />
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
        Try again
      </button>
    )}
  </div>
);
