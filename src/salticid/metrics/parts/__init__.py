"""What measures share: judged crawls, retrieval models, classifiers, link graphs."""
