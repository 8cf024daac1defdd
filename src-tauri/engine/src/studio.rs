//! Pictures that are open: decoding and dithering on a thread of their own, so that neither
//! the window nor Bluetooth waits for pixels.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::thread;

use regie_imaging::text::Typesetter;
use regie_imaging::{
    Algorithm, ImagingError, InkMap, Limits, Options, Picture, Pipeline, Planes, Rendered, Rgb8,
};
use tokio::sync::{mpsc, oneshot};

use crate::error::EngineError;
use crate::fault::Note;
use crate::state::PictureInfo;

/// Pictures kept open. A door shows one at a time; the second is the one before a bad drop.
/// Each may take as much memory as the decoder's limits allow.
const MAX_OPEN: usize = 2;

/// Jobs waiting for the thread. Doors ask for one render at a time, so a longer queue would only
/// hold results that nobody waits for any more.
const MAX_WAITING: usize = 16;

/// Size of a method's thumbnail: a quarter of the large panel each way.
const THUMBNAIL: (u16, u16) = (100, 75);

type Job = Box<dyn FnOnce(&mut Easel) + Send>;

/// The handle; clones share the thread, which ends with the last of them.
#[derive(Clone, Debug)]
pub(crate) struct Studio {
    jobs: mpsc::Sender<Job>,
}

/// What a render gives.
#[derive(Clone, Debug)]
pub struct Rendering {
    /// The planes that would be sent.
    pub planes: Planes,
    /// What was done to get there.
    pub notes: Vec<Note>,
}

impl From<Rendered> for Rendering {
    fn from(rendered: Rendered) -> Self {
        Self {
            notes: rendered.notes.iter().map(Note::from).collect(),
            planes: rendered.planes,
        }
    }
}

/// One picture in each dithering method, small.
#[derive(Clone, Debug)]
pub struct Thumbnails {
    /// Each method with its ink map; all of one size.
    pub methods: Vec<(Algorithm, InkMap)>,
}

impl Studio {
    /// Starts the thread.
    pub(crate) fn start() -> Result<Self, EngineError> {
        let (jobs, mut waiting) = mpsc::channel::<Job>(MAX_WAITING);
        thread::Builder::new()
            .name("studio".into())
            .spawn(move || {
                let mut easel = Easel::default();
                while let Some(job) = waiting.blocking_recv() {
                    // A fault in a picture library costs that picture, not all that come after.
                    let done = catch_unwind(AssertUnwindSafe(|| job(&mut easel)));
                    if done.is_err() {
                        easel = Easel {
                            pictures: OpenPictures {
                                opened: easel.pictures.opened,
                                ..OpenPictures::default()
                            },
                            ..Easel::default()
                        };
                    }
                }
            })
            .map_err(|_| EngineError::Closing)?;
        Ok(Self { jobs })
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut OpenPictures) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, EngineError> {
        self.at_easel(move |easel| work(&mut easel.pictures)).await
    }

    /// Draws words.
    pub(crate) async fn typeset<T: Send + 'static>(
        &self,
        draw: impl FnOnce(&mut Typesetter) -> Result<T, ImagingError> + Send + 'static,
    ) -> Result<T, EngineError> {
        self.at_easel(move |easel| {
            // The fonts are read when words are first asked for.
            let typesetter = easel.typesetter.get_or_insert_with(Typesetter::new);
            Ok(draw(typesetter)?)
        })
        .await
    }

    async fn at_easel<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Easel) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, EngineError> {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |easel| {
            // A caller that went away needs no answer, nor the work for it.
            if !answer.is_closed() {
                let _gone = answer.send(work(easel));
            }
        });
        self.jobs
            .send(job)
            .await
            .map_err(|_| EngineError::Closing)?;
        answered.await.map_err(|_| EngineError::PictureLost)?
    }

    /// Opens a picture file.
    pub(crate) async fn open_path(&self, path: &Path) -> Result<PictureInfo, EngineError> {
        let path = path.to_owned();
        self.run(move |pictures| {
            let name = path
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default();
            let picture = Picture::open(&path, &Limits::default())?;
            Ok(pictures.insert(name, Pipeline::new(picture)))
        })
        .await
    }

    /// Opens a picture that came as bytes.
    pub(crate) async fn open_bytes(
        &self,
        name: String,
        bytes: Vec<u8>,
    ) -> Result<PictureInfo, EngineError> {
        self.run(move |pictures| {
            let picture = regie_imaging::decode(&bytes, &Limits::default())?;
            Ok(pictures.insert(name, Pipeline::new(picture)))
        })
        .await
    }

    /// The planes of an open picture, with its name.
    pub(crate) async fn render(
        &self,
        picture: u32,
        options: Options,
    ) -> Result<(String, Rendering), EngineError> {
        self.run(move |pictures| {
            let open = pictures.get(picture)?;
            let rendered = open.pipeline.render(&options)?;
            Ok((open.name.clone(), Rendering::from(rendered)))
        })
        .await
    }

    /// The planes of a picture that is opened for this alone and let go, with its name: those
    /// that are open stay open.
    pub(crate) async fn render_once(
        &self,
        open: impl FnOnce() -> Result<(String, Picture), EngineError> + Send + 'static,
        options: Options,
    ) -> Result<(String, Rendering), EngineError> {
        self.at_easel(move |_| {
            let (name, picture) = open()?;
            let rendered = Pipeline::new(picture).render(&options)?;
            Ok((name, Rendering::from(rendered)))
        })
        .await
    }

    /// An open picture at the panel's size, before dithering.
    pub(crate) async fn original(
        &self,
        picture: u32,
        options: Options,
    ) -> Result<Rgb8, EngineError> {
        self.run(move |pictures| Ok(pictures.get(picture)?.pipeline.original(&options)?))
            .await
    }

    /// An open picture in each method, small.
    pub(crate) async fn thumbnails(
        &self,
        picture: u32,
        options: Options,
    ) -> Result<Thumbnails, EngineError> {
        self.run(move |pictures| {
            let (width, height) = THUMBNAIL;
            let methods = pictures
                .get(picture)?
                .pipeline
                .thumbnails(&options, width, height);
            Ok(Thumbnails { methods })
        })
        .await
    }
}

/// What the thread works with.
#[derive(Default)]
struct Easel {
    pictures: OpenPictures,
    typesetter: Option<Typesetter>,
}

#[derive(Default)]
struct OpenPictures {
    /// The most recently opened last.
    open: VecDeque<OpenPicture>,
    opened: u32,
}

struct OpenPicture {
    id: u32,
    name: String,
    pipeline: Pipeline,
}

impl OpenPictures {
    fn insert(&mut self, name: String, pipeline: Pipeline) -> PictureInfo {
        self.opened += 1;
        let picture = pipeline.picture();
        let (width, height) = picture.dimensions();
        let info = PictureInfo {
            id: self.opened,
            name: name.clone(),
            width,
            height,
            notes: picture.notes().iter().map(Note::from).collect(),
        };
        while self.open.len() >= MAX_OPEN {
            self.open.pop_front();
        }
        self.open.push_back(OpenPicture {
            id: info.id,
            name,
            pipeline,
        });
        info
    }

    fn get(&mut self, id: u32) -> Result<&mut OpenPicture, EngineError> {
        self.open
            .iter_mut()
            .find(|picture| picture.id == id)
            .ok_or(EngineError::PictureNotOpen)
    }
}
