import { current } from '../../app/session.ts';

/** Whether who is signed in may change the workspace and who is in it. */
export const isAdmin = (): boolean => current.value?.member.role === 'owner' || current.value?.member.role === 'admin';
export const isOwner = (): boolean => current.value?.member.role === 'owner';
