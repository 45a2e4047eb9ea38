import { Module } from '@nestjs/common';
import { ClusterImporter } from './cluster-importer.js';
import { ImportsController } from './imports.controller.js';

@Module({ controllers: [ImportsController], providers: [ClusterImporter] })
export class ImportsModule {}
