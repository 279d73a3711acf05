const SIZES = [34, 44, 68, 88, 102, 132, 230];

/** The icon of a workspace: its own, or its avatar in each size. */
export const teamIcon = (team: { id: string; icon: string | null }, baseUrl: string): object => ({
  image_default: team.icon === null,
  ...Object.fromEntries(
    SIZES.map((size) => [`image_${size}`, team.icon ?? `${baseUrl}/avatars/${team.id}-${size}.png`]),
  ),
});
