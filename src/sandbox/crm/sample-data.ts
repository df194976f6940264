// Names that generated records are built from. People and companies are invented; example.com is reserved.

export const FIRST_NAMES = [
  'Amira',
  'Ben',
  'Carla',
  'Dmitri',
  'Elif',
  'Farid',
  'Grace',
  'Hugo',
  'Ines',
  'Jonas',
  'Keiko',
  'Lena',
  'Mateo',
  'Nora',
  'Oscar',
  'Priya',
  'Quentin',
  'Rosa',
  'Sven',
  'Tamar',
  'Yusuf',
  'Zoë',
] as const;

export const LAST_NAMES = [
  'Almeida',
  'Berg',
  'Costa',
  'Dvořák',
  'Eriksen',
  'Fischer',
  'Garcia',
  'Haddad',
  'Ito',
  'Jansen',
  'Kovács',
  'Lindgren',
  'Moreau',
  'Novak',
  'Okafor',
  'Petrov',
  'Rossi',
  'Silva',
  'Tanaka',
  'Weber',
] as const;

export const COMPANIES = [
  'Alder & Finch',
  'Blue Harbor Logistics',
  'Cedar Valley Dairy',
  'Dunmore Textiles',
  'Eastgate Clinics',
  'Fjord Energy',
  'Granite Works',
  'Hollis Print',
  'Iberia Tours',
  'Juniper Foods',
  'Kestrel Mobility',
  'Lumen Optics',
] as const;

export const DEAL_SUBJECTS = [
  'annual licence',
  'call centre rollout',
  'coaching package',
  'extra seats',
  'pilot',
  'renewal',
  'training days',
] as const;

export const TASK_TITLES = [
  'Call back',
  'Send the offer',
  'Prepare the demo',
  'Ask for a reference',
  'Check the contract',
] as const;

/** The users of the account, named by `responsible_user_id` (document, 2.1). */
export const USER_IDS = [501, 502, 503, 504] as const;

/** The scenarios of the account, which run on deals. */
export const SCENARIOS = [
  { id: 71, name: 'Discovery call' },
  { id: 72, name: 'Price objection' },
  { id: 73, name: 'Follow-up after silence' },
] as const;

/** The AI agents of the account with their triggers. */
export const AGENTS = [
  { id: 81, name: 'Call summary', trigger: 'call.ended' },
  { id: 82, name: 'Next step', trigger: 'deal.stalled' },
] as const;
