// placeholder so that the skeleton builds; replaced by the first real source of this folder
