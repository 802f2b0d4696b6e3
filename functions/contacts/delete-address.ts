import { deleteAddress } from '#lib/contacts/addresses.ts';
import { Deleted } from '#lib/core/schema.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Removes an address of a contact; the next one of its kind becomes primary. */
export const handler = endpoint(
  {
    method: 'DELETE',
    path: '/v1/contacts/{id}/addresses/{addressId}',
    summary: 'Delete an address of a contact',
    hasNoTool: true,
    scope: 'contacts:write',
    status: 200,
    response: Deleted,
    errors: ['bad_request', 'not_found'],
  },
  ({ tx, params }) => deleteAddress(tx, params.id, params.addressId),
);
