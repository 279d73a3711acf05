export * from './favorite.entity.js';
export { FavoritesResolver } from './favorites.resolver.js';
export { FavoritesService } from './favorites.service.js';
