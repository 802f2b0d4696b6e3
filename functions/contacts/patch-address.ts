import { patchAddress, requireAddress } from '#lib/contacts/addresses.ts';
import { ContactAddress, PatchContactAddress } from '#lib/entities/contact-address.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Changes the label of an address, or makes it the primary one of its kind. */
export const handler = endpoint(
  {
    method: 'PATCH',
    path: '/v1/contacts/{id}/addresses/{addressId}',
    summary: 'Change an address of a contact',
    hasNoTool: true,
    scope: 'contacts:write',
    body: PatchContactAddress,
    status: 200,
    response: ContactAddress,
    heavyDependency: 'the rules of phone numbers of all countries',
    errors: ['bad_request', 'not_found'],
    exists: (tx, { id, addressId }) => requireAddress(tx, id, addressId),
  },
  ({ tx, params, body }) => patchAddress(tx, params.id, params.addressId, body),
);
