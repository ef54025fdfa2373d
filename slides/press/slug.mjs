// A slide's lasting address, made of its title.

export function plainTitle(title) {
  return title.replace(/<\/?[a-z][^>]*>/gi, '')
      .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[`$]/g, '')
      .replace(/(\*\*|\*)(.+?)\1/g, '$2')
      .replace(/\\(.)/g, '$1')
      .trim();
}

export function slugOf(title) {
  return plainTitle(title.replace(/<[^>]*>/g, ''))
      .toLowerCase()
      .replace(/['’]/g, '')
      .replace(/[^\p{L}\p{N}_]+/gu, '-')
      .replace(/^-+|-+$/g, '');
}
